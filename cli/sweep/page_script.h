// The script of a sweep's page: the table below it becomes a scatter plot, a map or bars. No library, one file.
#ifndef BR_CLI_SWEEP_PAGE_SCRIPT_H
#define BR_CLI_SWEEP_PAGE_SCRIPT_H

static const char *const PAGE_SCRIPT[] = {
    "function cells(line){const out=[];let cell='',quoted=false;for(let i=0;i<line.length;i++){const "
    "c=line[i];",
    "if(quoted){if(c=='\"'){if(line[i+1]=='\"'){cell+=c;i++}else quoted=false}else cell+=c}",
    "else if(c=='\"')quoted=true;else if(c==','){out.push(cell);cell=''}else cell+=c}out.push(cell);return "
    "out}",
    "const lines=document.getElementById('table').textContent.trim().split('\\n');",
    "const names=cells(lines[0]),rows=lines.slice(1).map(cells),P=sweep.parameters;",
    "const column=k=>rows.map(r=>r[k]);",
    "const bad=rows.filter(r=>r[names.length-3]!='ok').length,base=s=>s.split('/').pop();",
    "document.title=document.getElementById('title').textContent=base(sweep.spec);document.getElementById('"
    "runs').textContent=",
    "rows.length+(rows.length==1?' run of ':' runs of ')+base(sweep.model)+(bad?', '+bad+' of them without "
    "an answer (column status)':'');",
    "const "
    "endless=x=>x==='inf'||x==='-inf',isNumber=k=>rows.every(r=>r[k]===''||endless(r[k])||isFinite(r[k]))&&"
    "rows.some(r=>r[k]!=='');",
    "const last=names.length-3,numbers=[],words=[];",
    "for(let k=1;k<=last;k++)if(!names[k].includes('.at('))(k<last&&isNumber(k)?numbers:words).push(k);",
    "const palette=['#2166ac','#b2182b','#4dac26','#f1a340','#7b3294','#01665e','#c51b7d','#666666'];",
    "function options(id,list,chosen){const s=document.getElementById(id);for(const k of list){",
    "const o=document.createElement('option');o.value=k;o.textContent=k<0?'(none)':names[k];s.append(o)}",
    "s.value=chosen;s.onchange=draw}",
    "const canvas=document.getElementById('plot'),g=canvas.getContext('2d');let points=[];",
    "const val=id=>+document.getElementById(id).value;",
    "function range(list){let a=Infinity,b=-Infinity;for(const x of "
    "list)if(x===x){a=Math.min(a,x);b=Math.max(b,x)}",
    "if(!(a<=b)){a=0;b=1}if(a==b){const d=Math.abs(a)||1;a-=d/2;b+=d/2}return[a,b]}",
    "const num=(r,k)=>r[k]===''||r[k]===undefined||endless(r[k])?NaN:+r[k];",
    "function shade(t){const c=[[68,1,84],[59,82,139],[33,145,140],[94,201,98],[253,231,37]];",
    "const s=Math.min(3.999,Math.max(0,t*4)),i=Math.floor(s),f=s-i;",
    "return'rgb('+[0,1,2].map(k=>Math.round(c[i][k]+(c[i+1][k]-c[i][k])*f))+')'}",
    "function colours(k){if(k<0)return{of:()=>palette[0],legend:''};",
    "if(words.includes(k)){const kinds=[...new "
    "Set(column(k))].sort();return{of:r=>palette[kinds.indexOf(r[k])%8],",
    "legend:kinds.map((w,i)=>'<b style=\"color:'+palette[i%8]+'\">&#9632;</b> "
    "'+escape_(w||'(nothing)')).join(' &nbsp; ')}}",
    "const of=rows.map(r=>num(r,k)).filter(x=>x===x),one=new Set(of).size==1,[a,b]=range(of);",
    "return{of:r=>{const x=num(r,k);return x===x?shade((x-a)/(b-a)):'#ccc'},",
    "legend:escape_(names[k])+': <b style=\"color:'+shade(one?.5:0)+'\">&#9632;</b> "
    "'+(one?of[0]:a).toPrecision(4)+",
    "(one?'':' to <b style=\"color:'+shade(1)+'\">&#9632;</b> '+b.toPrecision(4))+",
    "(column(k).some(endless)?' <b style=\"color:#ccc\">&#9632;</b> infinite':'')}}",
    "function escape_(s){const e=document.createElement('i');e.textContent=s;return e.innerHTML}",
    "const label=k=>names[k]+(k>=1&&k<=P&&sweep.units[k-1]?','+sweep.units[k-1]:'');",
    "function tick(v){const a=Math.abs(v);return "
    "a==0?'0':a<1e-3||a>=1e5?v.toExponential(2):String(+v.toPrecision(4))}",
    "function axes(x,y,X,Y){const "
    "W=canvas.width,H=canvas.height;g.clearRect(0,0,W,H);g.fillStyle='#333';g.font='13px sans-serif';",
    "g.strokeStyle='#ddd';for(let i=0;i<=5;i++){const "
    "px=70+(W-90)*i/5,py=H-50-(H-70)*i/5;g.beginPath();g.moveTo(px,20);",
    "g.lineTo(px,H-50);g.moveTo(70,py);g.lineTo(W-20,py);g.stroke();g.textAlign='center';",
    "g.fillText(tick(X[0]+(X[1]-X[0])*i/5),px,H-32);g.textAlign='right';",
    "g.fillText(tick(Y[0]+(Y[1]-Y[0])*i/5),64,py+4)}g.textAlign='center';g.fillText(label(x),W/"
    "2,H-10);",
    "g.save();g.translate(9,H/2);g.rotate(-Math.PI/2);g.fillText(y,0,0);g.restore()}",
    "function draw(){const x=val('x'),y=val('y'),z=val('z'),c=val('c'),W=canvas.width,H=canvas.height;",
    "const "
    "both=z>=0?[y,z]:[y],X=range(rows.map(r=>num(r,x))),Y=range(both.flatMap(k=>rows.map(r=>num(r,k)))),C="
    "colours(c);",
    "axes(x,both.map(label).join(', '),X,Y);points=[];",
    "const xs=new Set(column(x)).size,ys=new "
    "Set(column(y)).size,map=z<0&&x<=P&&y<=P&&xs*ys<=rows.length*1.01&&xs>1&&ys>1;",
    "const w=map?(W-90)/(xs-1):0,h=map?(H-70)/(ys-1):0;for(const r of rows)for(const k of both){const "
    "a=num(r,x),b=num(r,k);",
    "if(!(a===a&&b===b))continue;const "
    "px=70+(W-90)*(a-X[0])/(X[1]-X[0]),py=H-50-(H-70)*(b-Y[0])/(Y[1]-Y[0]);",
    "g.fillStyle=C.of(r);if(map){const l=Math.max(70,Math.round(px-w/2)),t=Math.max(20,Math.round(py-h/2));",
    "g.fillRect(l,t,Math.min(W-20,Math.round(px+w/2))-l,Math.min(H-50,Math.round(py+h/2))-t)}",
    "else{g.beginPath();g.arc(px,py,rows.length>2000?1.5:3,0,7);g.fill()}points.push([px,py,r])}",
    "document.getElementById('legend').innerHTML=C.legend+(map?' &nbsp; (a cell for each "
    "run)':'');bars(y>P?y:c>P&&numbers.includes(c)?c:-1)}",
    // Rank correlation of each parameter that is a number with the column: 1 or -1 where one rises or falls with the other alone.
    "const real=x=>x==='inf'?Infinity:x==='-inf'?-Infinity:+x;",
    "function ranks(list){const "
    "order=list.map((v,i)=>[v,i]).sort((a,b)=>a[0]<b[0]?-1:a[0]>b[0]?1:0),out=[];for(let "
    "i=0;i<order.length;){",
    "let j=i+1;while(j<order.length&&order[j][0]==order[i][0])j++;for(let "
    "k=i;k<j;k++)out[order[k][1]]=(i+j-1)/2;i=j}return out}",
    "function correlation(a,b){const n=a.length,ma=a.reduce((s,v)=>s+v,0)/n,mb=b.reduce((s,v)=>s+v,0)/n;let "
    "p=0,q=0,s=0;",
    "for(let i=0;i<n;i++){p+=(a[i]-ma)*(b[i]-mb);q+=(a[i]-ma)**2;s+=(b[i]-mb)**2}return "
    "q>0&&s>0?p/Math.sqrt(q*s):0}",
    "function "
    "bars(y){document.getElementById('of').parentNode.hidden=y<0;if(y<0){document.getElementById('bars')."
    "innerHTML='';return}const list=[];for(const k of numbers)if(k<=P&&k!=y){const "
    "good=rows.filter(r=>r[k]!==''&&r[y]!=='');",
    "list.push([names[k],correlation(ranks(good.map(r=>real(r[k]))),ranks(good.map(r=>real(r[y]))))])}",
    "list.sort((a,b)=>Math.abs(b[1])-Math.abs(a[1]));document.getElementById('bars').innerHTML=list.map(([n,"
    "v])=>",
    "'<tr><td>'+escape_(n)+'<td><div "
    "style=\"width:400px;position:relative;height:14px;background:#eee\"><div style=\"position:absolute;'",
    "+'height:14px;left:'+(200+Math.min(0,v)*200)+'px;width:'+Math.abs(v)*200+'px;background:'+(v<0?palette["
    "1]:palette[0])+'\"></div></div>'",
    "+'<td>'+v.toFixed(3)).join('');document.getElementById('of').textContent=names[y]}",
    "canvas.onclick=e=>{const b=canvas.getBoundingClientRect(),mx=(e.clientX-b.left)*canvas.width/b.width,",
    "my=(e.clientY-b.top)*canvas.height/b.height;let best=null,d=1e9;for(const p of points){const "
    "q=(p[0]-mx)**2+(p[1]-my)**2;",
    "if(q<d){d=q;best=p[2]}}if(!best)return;const sets=sweep.names.map((n,k)=>' --set "
    "\"'+n+'='+best[k+1]+sweep.units[k]+'\"').join('');",
    "const one='bristle sweep '+sweep.spec+' -o '+sweep.folder+' --report '+best[0];",
    "const made=sweep.reports.includes(+best[0]);",
    "document.getElementById('run').innerHTML='<p>Run '+escape_(best[0])+': "
    "'+names.slice(1).map((n,k)=>n.includes('.at(')?'':",
    "escape_(n+' = '+best[k+1])).filter(s=>s).join(', ')+'</p>'+(made?'<p><a target=\"_blank\" "
    "href=\"reports/'+best[0]+'.html\">Open its report</a></p>':",
    "'<p>Its report is made by the first of these, after which this page links to it; the second runs it by "
    "itself.</p>')",
    "+'<pre>'+escape_(one+'\\nbristle run '+sweep.model+sweep.fixed+sets+sweep.until+' --report')+'</pre>'};",
    // Bands over time of the independent draws.
    "function part(list,p){const a=p*(list.length-1),i=Math.floor(a);return "
    "i+1<list.length?list[i]+(a-i)*(list[i+1]-list[i]):list[i]}",
    "function bands(){const by=new Map();names.forEach((n,k)=>{const i=n.indexOf('.at(');if(i>0){const "
    "c=n.slice(0,i);",
    "if(!by.has(c))by.set(c,[]);by.get(c).push([parseFloat(n.slice(i+4)),k])}});if(!by.size||!sweep.draws)"
    "return;",
    "const "
    "drawn=rows.filter(r=>r[last]=='ok'&&(sweep.draws==1||r[0]%sweep.draws<2)),box=document.getElementById('"
    "bands');",
    "box.innerHTML='<p>Over time: the median of '+drawn.length+' independent runs, the half (dark) and nine "
    "tenths (light) of them about it.</p>';",
    "for(const[c,at]of by){const "
    "k=document.createElement('canvas');k.width=1000;k.height=260;box.append(k);band(k,c,at.sort((a,b)=>a[0]-"
    "b[0]),drawn)}}",
    "function band(k,c,at,drawn){const q=at.map(([t,i])=>{const "
    "v=drawn.map(r=>num(r,i)).filter(x=>x===x).sort((a,b)=>a-b);",
    "return v.length?[t,...[.05,.25,.5,.75,.95].map(p=>part(v,p))]:null}).filter(x=>x);if(!q.length)return;",
    "const "
    "X=range(q.map(x=>x[0])),Y=range(q.flatMap(x=>[x[1],x[5]])),d=k.getContext('2d'),W=k.width,H=k.height;",
    "const px=t=>80+(W-100)*(t-X[0])/(X[1]-X[0]),py=y=>H-40-(H-60)*(y-Y[0])/(Y[1]-Y[0]);d.font='13px "
    "sans-serif';d.strokeStyle='#ddd';d.fillStyle='#333';",
    "for(let i=0;i<=4;i++){const "
    "t=X[0]+(X[1]-X[0])*i/4,y=Y[0]+(Y[1]-Y[0])*i/4;d.beginPath();d.moveTo(px(t),20);d.lineTo(px(t),H-40);",
    "d.moveTo(80,py(y));d.lineTo(W-20,py(y));d.stroke();d.textAlign='center';d.fillText(tick(t),px(t),H-24);"
    "d.textAlign='right';d.fillText(tick(y),74,py(y)+4)}",
    "d.textAlign='left';d.fillText(c+' over t, s',80,14);",
    "for(const[a,b,f]of[[1,5,'#c6d9ec'],[2,4,'#84aed3']]){d.beginPath();q.forEach((x,i)=>d[i?'lineTo':'"
    "moveTo'](px(x[0]),py(x[b])));",
    "[...q].reverse().forEach(x=>d.lineTo(px(x[0]),py(x[a])));d.fillStyle=f;d.fill();d.fillStyle='#333'}",
    "d.beginPath();q.forEach((x,i)=>d[i?'lineTo':'moveTo'](px(x[0]),py(x[3])));d.strokeStyle=palette[0];d."
    "lineWidth=2;d.stroke()}",
    "bands();",
    // To begin with: two parameters of a grid make a map; a channel's min and max with a parameter of few values a bifurcation diagram.
    "const levels=k=>new "
    "Set(column(k)).size,grid=numbers.filter(k=>k<=P&&levels(k)>3),few=numbers.find(k=>k<=P&&levels(k)>1&&"
    "levels(k)<=8);",
    "const "
    "low=numbers.find(k=>names[k].endsWith('.min')),high=low&&numbers.find(k=>names[k]==names[low].slice(0,-"
    "3)+'max');",
    "const isMap=grid.length==2&&levels(grid[0])*levels(grid[1])<=rows.length;",
    "if(numbers.length){const "
    "word=words.find(k=>k>P&&k<last),y0=numbers.find(k=>k>P)||numbers[numbers.length-1];",
    "const "
    "y=isMap?grid[1]:low||y0;options('x',numbers,isMap?grid[0]:grid[0]||numbers[0]);options('y',numbers,y);",
    "options('z',[-1,...numbers],!isMap&&high?high:-1);",
    "options('c',[-1,...words,...numbers],isMap?word||y0:high&&few?few:word||-1);draw()}",
    "else document.getElementById('legend').textContent='No column of the table has numbers to draw.';",
};

#endif
