// The style and the script of a fit's page: tables and curves out of the object `fit`. No library, one file.
#ifndef BR_CLI_FIT_REPORT_SCRIPT_H
#define BR_CLI_FIT_REPORT_SCRIPT_H

static const char *const FIT_PAGE_STYLE[] = {
    ":root{color-scheme:light "
    "dark;--ink:#1c2126;--paper:#fff;--soft:#5b6670;--line:#d9dee3;--good:#2f7d4f;--bad:#b5432a;--fill:#"
    "1b6ca8}",
    "@media(prefers-color-scheme:dark){:root{--ink:#e6eaee;--paper:#15191d;--soft:#9aa5b0;--line:#333b43;--"
    "good:#6fc493;--bad:#e58a72;--fill:#6fb3e6}}",
    "*{box-sizing:border-box}body{font:16px/1.45 "
    "system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:0}",
    "main{max-width:900px;margin:0 auto;padding:20px 16px "
    "60px}h1{font-size:24px;margin:0;overflow-wrap:anywhere}h2{font-size:18px;margin:34px 0 "
    "2px;border-top:1px solid var(--line);padding-top:14px}",
    "h3{font-size:14px;margin:10px 0 "
    "0;font-weight:600}.why,small,.legend{color:var(--soft);font-size:14px}.why{margin:2px 0 "
    "10px}p{overflow-wrap:anywhere}",
    ".good b{color:var(--good)}.bad b,p.bad{color:var(--bad)}.bad{border-left:4px solid "
    "var(--bad);padding-left:10px}.good{border-left:4px solid var(--good);padding-left:10px}",
    ".estimate{display:grid;grid-template-columns:minmax(90px,1fr) minmax(110px,1fr) 2.4fr;gap:0 "
    "12px;align-items:center;margin:8px 0}.estimate svg{grid-column:3}.estimate "
    "small:last-child{grid-column:3}",
    "svg{width:100%;height:auto;display:block}svg text{font:11px "
    "system-ui,sans-serif;fill:var(--soft)}.grid{stroke:var(--line)}.limit{stroke:var(--soft);stroke-"
    "dasharray:5 4}",
    ".range{fill:var(--paper);stroke:var(--line)}.interval{fill:var(--fill);opacity:.7}.value{stroke:var(--"
    "ink);stroke-width:2}.before{fill:none;stroke:var(--soft);stroke-width:1.5}",
    ".predicted,.line{fill:none;stroke-width:1.6}.predicted{stroke:var(--fill)}.dot{fill:var(--fill)}.row{"
    "display:flex;flex-wrap:wrap;gap:12px}.cell{flex:1 1 360px;min-width:0}",
    "select{font:inherit;max-width:100%}.legend span{font-weight:600}.law{margin:10px 0}.law "
    "b{display:block}.law "
    "small{display:block}.bar{height:10px;background:var(--soft);opacity:.55;border-radius:2px;margin:2px 0}",
    ".best .bar{background:var(--good);opacity:1}",
    "@media(max-width:560px){.estimate{grid-template-columns:1fr 1fr}.estimate small,.estimate svg,.estimate "
    "small:last-child{grid-column:1/-1}}",
};

static const char *const FIT_PAGE_SCRIPT[] = {
    "const $=(tag,text,parent,attributes)=>{const "
    "e=document.createElement(tag);if(text!=null)e.textContent=text;",
    "for(const k in attributes||{})e.setAttribute(k,attributes[k]);if(parent)parent.append(e);return e};",
    "const body=document.getElementById('page');",
    "const section=(title,why)=>{const "
    "s=$('section',null,body);$('h2',title,s);if(why)$('p',why,s,{class:'why'});return s};",
    "const num=(x,n)=>x==null||!isFinite(x)?(x==null?'-':String(x)):String(+x.toPrecision(n||4));",
    "const "
    "digits=(a,b)=>Math.min(15,Math.max(4,3+Math.ceil(Math.log10(Math.max(Math.abs(a),Math.abs(b))/"
    "(b-a)))));",
    "const unit=u=>u&&u!='1'?' '+u:'';",
    "const part=(x,r)=>r.size?num(100*x/r.size,4)+' % of the size "
    "('+num(x)+unit(r.unit)+')':num(x)+unit(r.unit);",
    "const svgns='http://www.w3.org/2000/svg';",
    "function svg(parent,width,height){const "
    "s=document.createElementNS(svgns,'svg');s.setAttribute('viewBox','0 0 '+width+' '+height);",
    "s.setAttribute('role','img');parent.append(s);return s}",
    "function put(s,tag,attributes,text){const e=document.createElementNS(svgns,tag);for(const k in "
    "attributes)e.setAttribute(k,attributes[k]);",
    "if(text!=null)e.textContent=text;s.append(e);return e}",
    "function steps(a,b,n){const raw=(b-a)/n||1,p=Math.pow(10,Math.floor(Math.log10(raw)));",
    "const s=p*[1,2,5,10].find(k=>k*p>=raw),out=[];for(let "
    "x=Math.ceil(a/s)*s;x<=b+1e-9*s;x+=s)out.push(+x.toPrecision(12));return out}",
    "function frame(parent,o){const "
    "narrow=o.narrow||parent.clientWidth<560,W=narrow?400:840,H=o.height||260,L=64,R=12,T=10,B=36;",
    "const s=svg(parent,W,H),[x0,x1]=o.x,[y0,y1]=o.y;",
    "const X=v=>L+(W-L-R)*(v-x0)/(x1-x0||1),Y=v=>H-B-(H-T-B)*(v-y0)/(y1-y0||1);",
    "for(const v of steps(x0,x1,narrow?4:8)){put(s,'line',{x1:X(v),x2:X(v),y1:T,y2:H-B,class:'grid'});",
    "put(s,'text',{x:X(v),y:H-B+14,'text-anchor':'middle'},num(v))}",
    "for(const v of steps(y0,y1,5)){put(s,'line',{x1:L,x2:W-R,y1:Y(v),y2:Y(v),class:'grid'});",
    "put(s,'text',{x:L-5,y:Y(v)+4,'text-anchor':'end'},num(v))}",
    "put(s,'text',{x:(L+W-R)/2,y:H-4,'text-anchor':'middle',class:'axis'},o.xlabel);",
    "put(s,'text',{x:12,y:(T+H-B)/2,'text-anchor':'middle',class:'axis',transform:'rotate(-90 12 "
    "'+(T+H-B)/2+')'},o.ylabel);",
    "return{s,X,Y,x0,x1,y0,y1}}",
    "function range(lists){let a=Infinity,b=-Infinity;for(const l of lists)for(const x of "
    "l)if(x!=null&&isFinite(x)){a=Math.min(a,x);b=Math.max(b,x)}",
    "if(!(a<=b))return[0,1];const d=(b-a)||Math.abs(a)||1;return[a-.05*d,b+.05*d]}",
    "const path=(f,x,y)=>x.map((v,i)=>y[i]==null?'':(i&&y[i-1]!=null?'L':'M')+f.X(v).toFixed(1)+' "
    "'+f.Y(y[i]).toFixed(1)).join('');",
    "document.title=fit.set+': fit';",
    "$('h1',fit.set+': '+(fit.estimates.length?'fit of '+fit.estimates.map(e=>e.name).join(', '):'laws "
    "compared'),body);",
    "$('p',fit.model+', '+fit.recordings+(fit.recordings==1?' recording':' recordings'),body,{class:'why'});",
    "if(fit.outcome){const good=fit.outcome=='converged';",
    "const p=$('p',null,body,{class:good?'good':'bad'});$('b',good?'Converged':fit.outcome.replace('_',' "
    "'),p);",
    "p.append(good?': '+fit.agree+' of the '+fit.starts+' best starts ended near there, '+fit.evaluations+' "
    "evaluations.'+(fit.why?' '+fit.why[0].toUpperCase()+fit.why.slice(1)+'.':''):': '+fit.why)}",
    "if(fit.estimates.length){",
    "const s=section('Estimates','The white bar is what the bounds allow, the dark one the 90 % interval ('+",
    "(fit.interval=='none'?'none was made':'by '+fit.interval)+'), the line the estimate, the ring the value "
    "before.');",
    "for(const e of fit.estimates){const d=$('div',null,s,{class:'estimate'});$('b',e.name,d);",
    "const "
    "has=e.low!=null&&e.low<e.high,n=has?digits(e.low,e.high):5;$('span',num(e.value,Math.max(5,n))+unit(e."
    "unit),d);",
    "$('small',has?'90 % from '+(e.below?'the bound ':'')+num(e.low,n)+' to '+(e.above?'the bound "
    "':'')+num(e.high,n)+(e.start!=null?', was '+num(e.start):'')",
    ":e.start!=null?'was '+num(e.start):'',d);",
    "if(e.to==null||!isFinite(e.to))continue;",
    "const "
    "g=svg(d,400,26),log=e.from>0&&e.to>=5*e.from,place=v=>8+384*Math.min(1,Math.max(0,log?Math.log(v/"
    "e.from)/Math.log(e.to/e.from):(v-e.from)/(e.to-e.from)));",
    "put(g,'rect',{x:8,y:9,width:384,height:8,class:'range'});",
    "if(has)put(g,'rect',{x:place(e.low),y:9,width:Math.max(1.5,place(e.high)-place(e.low)),height:8,class:'"
    "interval'});",
    "put(g,'line',{x1:place(e.value),x2:place(e.value),y1:3,y2:23,class:'value'});",
    "if(e.start!=null)put(g,'circle',{cx:place(e.start),cy:13,r:4,class:'before'});",
    "$('small','from '+num(e.from)+' to '+num(e.to)+unit(e.unit)+(log?', by equal factors':''),d)}",
    "const c=fit.correlations.filter(x=>x[2]!=null);",
    "if(c.length)$('p','Correlated: '+c.map(x=>x[0]+' and '+x[1]+' '+x[2].toFixed(2)).join(', '),s)}",
    "if(fit.estimates.length){const s=section('What the data cannot tell');",
    "if(fit.notTold.length)for(const t of fit.notTold)$('p',t,s,{class:'bad'});",
    "else $('p',fit.outcome=='flat'?fit.why:'Nothing that was asked for was found to be without "
    "effect'+(fit.interval=='none'?', by the slopes alone: no intervals were made.':'.'),s)}",
    "const profiles=fit.estimates.filter(e=>e.profile&&e.profile[0].length>2);",
    "if(profiles.length){const s=section('Profiles',",
    "'Each parameter is moved and the others follow. The interval ends where the likelihood has fallen by "
    "the dashed line, 2.706 as chi squared.');",
    "const row=$('div',null,s,{class:'row'});for(const e of profiles){const "
    "d=$('div',null,row,{class:'cell'});",
    "const[x,y]=e.profile,keep=x.map((v,i)=>i).filter(i=>y[i]<=6);",
    "const "
    "f=frame(d,{x:range([keep.map(i=>x[i])]),y:[0,6],xlabel:e.name+unit(e.unit),ylabel:'fall',height:230,"
    "narrow:true});",
    "put(f.s,'line',{x1:f.X(f.x0),x2:f.X(f.x1),y1:f.Y(2.706),y2:f.Y(2.706),class:'limit'});",
    "put(f.s,'path',{d:path(f,keep.map(i=>x[i]),keep.map(i=>y[i])),class:'predicted'});",
    "for(const i of keep)put(f.s,'circle',{cx:f.X(x[i]),cy:f.Y(y[i]),r:2.5,class:'dot'})}}",
    "if(fit.series.length){const s=section('Fit beside data',fit.left?fit.left+' more recordings are not on "
    "this page.':'');",
    "const bar=$('p',null,s),pick=$('select',null,bar,{'aria-label':'recording and "
    "quantity'}),area=$('div',null,s);",
    "fit.series.forEach((r,i)=>$('option',r.recording+': '+r.quantity+' (rms "
    "'+num(r.rms,3)+unit(r.unit)+')',pick,{value:i}));",
    "const colours=['#1b6ca8','#b5432a','#2f7d4f','#7a4fa3'];",
    "function show(){const r=fit.series[+pick.value];area.textContent='';const n=r.measured.length;",
    "const band=r.radius&&n<=3;",
    "const legend=$('p',null,area,{class:'legend'});r.names.forEach((name,c)=>{const b=$('span',name+' "
    "',legend);b.style.color=colours[c]});",
    "legend.append('dots measured, lines predicted'+(r.radius?', shaded: nine recordings of ten stay within "
    "all the way':''));",
    "const y=range(r.measured.concat(r.predicted));",
    "const f=frame(area,{x:[r.t[0],r.t[r.t.length-1]],y,xlabel:'time, "
    "s',ylabel:r.quantity+unit(r.unit)?r.quantity+','+unit(r.unit):r.quantity,height:320});",
    "for(let c=0;c<n;c++){if(band){const "
    "up=r.predicted[c].map((v,i)=>Math.min(f.y1,v+r.radius[i])),down=r.predicted[c].map((v,i)=>Math.max(f.y0,"
    "v-r.radius[i]));",
    "put(f.s,'path',{d:path(f,r.t,up)+path(f,r.t.slice().reverse(),down.slice().reverse()).replace('M','L')+'"
    "Z',fill:colours[c],opacity:.13})}",
    "put(f.s,'path',{d:path(f,r.t,r.predicted[c]),class:'line',stroke:colours[c]});",
    "const every=Math.ceil(r.t.length/250);for(let "
    "i=0;i<r.t.length;i+=every)put(f.s,'circle',{cx:f.X(r.t[i]).toFixed(1),cy:f.Y(r.measured[c][i]).toFixed("
    "1),r:1.8,fill:colours[c],opacity:.75})}",
    "$('h3','Residuals: predicted less measured',area);",
    "const e=r.residual,g=frame(area,{x:[r.t[0],r.t[r.t.length-1]],y:range(e.concat([[0]])),xlabel:'time, "
    "s',ylabel:unit(r.unit).trim()||'-',height:200});",
    "put(g.s,'line',{x1:g.X(g.x0),x2:g.X(g.x1),y1:g.Y(0),y2:g.Y(0),class:'limit'});",
    "e.forEach((l,c)=>put(g.s,'path',{d:path(g,r.t,l),class:'line',stroke:colours[c]}))}",
    "pick.onchange=show;show();let "
    "last=area.clientWidth;addEventListener('resize',()=>{if(area.clientWidth!=last){last=area.clientWidth;"
    "show()}})}",
    "if(fit.error!=null||fit.laws.length){const s=section('Errors on recordings that the fit did not see',",
    "fit.recordings>1?'Each recording is predicted by a fit of the others, in '+Math.min(5,fit.recordings)+' "
    "groups; means of the "
    "distances.':'There is one recording.');",
    "if(fit.error!=null)$('p',fit.quantity+': '+(fit.heldOut==null?'none was held "
    "out':part(fit.heldOut,fit)+' held out')+'; '+part(fit.error,fit)+' in the mean with the fit itself',s);",
    "const "
    "good=fit.laws.filter(l=>l.heldOut!=null),most=Math.max(...good.map(l=>l.heldOut),1e-300),least=Math.min("
    "...good.map(l=>l.heldOut));",
    "for(const l of fit.laws){const d=$('div',null,s,{class:'law'+(l.heldOut===least?' "
    "best':'')});$('b',l.name,d);",
    "if(l.failed){$('span','not fitted: '+l.failed,d);continue}",
    "const b=$('div',null,d,{class:'bar'});b.style.width=(l.heldOut==null?0:100*l.heldOut/most)+'%';",
    "$('span',(l.heldOut==null?'none was held out':part(l.heldOut,l))+(l.heldOut===least?', the "
    "least':'')+(l.outcome=='converged'?'':', '+l.outcome.replace('_',' ')),d);",
    "$('small',l.estimates.map(e=>e.name+' '+num(e.value)+unit(e.unit)).join(', '),d);",
    "for(const t of l.notTold)$('small','Not told: '+t,d)}}",
    "if(fit.bands.length){const s=section('Bands','A radius around each prediction that nine ends of ten are "
    "within, made without the recording it is for.');",
    "for(const b of fit.bands){$('p',b.quantity+': '+(100*b.coverage).toFixed(1)+' % of '+fit.recordings+' "
    "ends are held, median radius '+part(b.radius,b)+",
    "'; one radius for all that holds as many: '+part(b.constant,b)+(b.constant<=b.radius?', no "
    "wider':'')+'; without what other recordings show: "
    "'+(100*b.inputCoverage).toFixed(1)+' %, '+part(b.input,b)+'.',s)}}",
    "if(fit.next.length){const s=section('The next experiment','What each would do to the interval of "
    "'+fit.wished+'.');",
    "const l=$('ol',null,s);for(const t of fit.next)$('li',t,l)}",
    "if(fit.notes.length){const s=section('Notes');const l=$('ul',null,s);for(const t of "
    "fit.notes)$('li',t,l)}",
};

#endif
